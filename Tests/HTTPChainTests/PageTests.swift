import Foundation
import TestSupport
import Testing

@Suite("The pages of the kit")
struct PageTests {
    @Test(
        "The pages name a suite of tests that exists, a test of one, or an example, for each promise and each task",
        arguments: [("Security", 2, false), ("Calls", 3, true)]
    )
    func suites(name: String, columns: Int, namesTests: Bool) throws {
        let root = Repository.root
        let page = root.appendingPathComponent("Sources/HTTPChain/HTTPChain.docc/\(name).md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count == columns && !["The kit promises", "Task"].contains($0[0]) && !$0[0].hasPrefix("--") }
        #expect(rows.count > 20)
        let suites = try Self.suites(below: root.appendingPathComponent("Tests"))
        for row in rows {
            let names = row[columns - 1].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(
                \.element
            )
            #expect(!names.isEmpty, "\(row[0]): no test")
            #expect(!namesTests || names.contains { $0.contains(".") }, "\(row[0]): no test of a suite is named")
            for name in names where !name.hasSuffix("*") {
                let isExample =
                    name.hasPrefix("Examples/") && FileManager.default.fileExists(atPath: "\(root.path)/\(name)")
                #expect(suites.contains(name) || isExample, "\(row[0]): there is no suite, test or example \(name)")
            }
        }
    }

    /// The names of all suites and, behind a dot, of their tests, with and without the folder of their target.
    private static func suites(below tests: URL) throws -> Set<String> {
        var names: Set<String> = []
        for folder in try FileManager.default.contentsOfDirectory(atPath: tests.path) where folder.hasSuffix("Tests") {
            let target = tests.appendingPathComponent(folder)
            let paths = FileManager.default.enumerator(atPath: target.path)
            while let path = paths?.nextObject() as? String {
                guard path.hasSuffix(".swift") else { continue }
                let text = try String(contentsOf: target.appendingPathComponent(path), encoding: .utf8)
                var suite = ""
                var isTest = false
                for line in text.split(separator: "\n") {
                    if line.hasPrefix("struct ") {
                        suite = "\(line.dropFirst("struct ".count).prefix { $0.isLetter || $0.isNumber })"
                        names.formUnion([suite, "\(folder)/\(suite)"])
                    } else if line.hasPrefix("    @Test") {
                        isTest = true
                    } else if isTest, line.hasPrefix("    func ") {
                        isTest = false
                        let name = line.dropFirst("    func ".count).prefix { $0.isLetter || $0.isNumber }
                        names.formUnion(["\(suite).\(name)", "\(folder)/\(suite).\(name)"])
                    }
                }
            }
        }
        return names
    }
}
