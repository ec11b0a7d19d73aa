import DrillSupport
import Foundation
import HTTPChainCookies

// Changes a jar in a file until it is killed:
// CookieKillDrill <file> <seed> <journal> <0|1>
//
// Two of them share the file, one with the even cookies and one with the odd ones. Before and after each change a line
// goes into the journal, which tells what may be found afterwards:
// "storing 4 17", "stored 4 17", "removing 4", "removed 4". Each change is a dot on standard output as well.

@main
enum Drill {
    private static let url = "https://www.example.com/"

    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let parity = Int(arguments[4]),
            FileManager.default.createFile(atPath: arguments[3], contents: nil),
            let journal = FileHandle(forWritingAtPath: arguments[3])
        else {
            print("usage: CookieKillDrill <file> <seed> <journal> 0|1")
            exit(2)
        }
        do {
            let jar = try await CookieJar(file: URL(fileURLWithPath: arguments[1]))
            FileHandle.standardOutput.write(Data("ready\n".utf8))
            var numbers = Numbers(seed: seed)
            var generation = numbers.next(1_000_000)
            while true {
                generation += 1
                try await step(jar, numbers.next(20) * 2 + parity, generation, &numbers, journal)
                FileHandle.standardOutput.write(Data(".".utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }

    private static func step(
        _ jar: CookieJar,
        _ number: Int,
        _ generation: Int,
        _ numbers: inout Numbers,
        _ journal: FileHandle
    ) async throws {
        // Goes to the system at once, where it survives this process.
        func note(_ line: String) throws { try journal.write(contentsOf: Data("\(line)\n".utf8)) }
        let name = "c\(number)"
        switch numbers.next(10) {
        case 0:
            try note("removing \(number)")
            try await jar.remove { $0.name == name }
            try note("removed \(number)")
        case 1:
            try note("removing \(number)")
            try await jar.store(["\(name)=gone; Max-Age=0"], from: url)
            try note("removed \(number)")
        default:
            try note("storing \(number) \(generation)")
            // Its length follows from the generation, so that a value that was cut off shows.
            let value = "\(generation)." + String(repeating: "x", count: generation % 900)
            try await jar.store(["\(name)=\(value); Max-Age=86400; Secure"], from: url)
            try note("stored \(number) \(generation)")
        }
    }
}
