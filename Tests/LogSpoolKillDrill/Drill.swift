import DrillSupport
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging

// Appends numbered records to a spool, and now and then acknowledges some, until it is killed:
// LogSpoolKillDrill <directory> <first number> <seed>
//
// With the URL of a receiver in place of the seed, the records are logged to a shipper that has the spool.
//
// Each step is told on standard output once it is done, a line each: "a 17" for a record that was accepted, "d 3 9" for
// records from 3 to 9 that are about to be acknowledged, "k 9" once they are.

@main
enum Drill {
    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let first = Int(arguments[2]) else {
            print("usage: LogSpoolKillDrill <directory> <first number> <seed or URL>")
            exit(2)
        }
        let directory = URL(fileURLWithPath: arguments[1])
        do {
            if let seed = UInt64(arguments[3]) {
                try run(directory, first, Numbers(seed: seed))
            } else {
                try await ship(directory, first, to: arguments[3])
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }

    static func run(_ directory: URL, _ first: Int, _ seeded: Numbers) throws {
        var numbers = seeded
        let spool = try LogSpool(directory: directory, limit: .kibibytes(256), segmentSize: .kibibytes(8))
        say("ready")
        var number = first
        while true {
            if numbers.next(20) == 0 {
                guard let batch = try spool.nextBatch(maximumRecords: 1 + numbers.next(60)),
                    let from = batch.records.first?.attributes["number"]?.integer,
                    let to = batch.records.last?.attributes["number"]?.integer
                else { continue }
                say("d \(from) \(to)")
                try spool.acknowledge(batch.position)
                say("k \(to)")
            } else {
                do throws(LogSpoolError) {
                    try spool.append(
                        record(number, length: numbers.next(10) == 0 ? numbers.next(3000) : numbers.next(200))
                    )
                    say("a \(number)")
                    number += 1
                } catch {
                    guard case .full = error.problem else { throw error }
                }
            }
        }
    }

    static func record(_ number: Int, length: Int) -> LogRecord {
        LogRecord(
            date: Date(timeIntervalSince1970: Double(number)),
            level: .info,
            component: "drill",
            message: String(repeating: "\(number % 10)", count: length),
            attributes: ["number": .integer(Int64(number))]
        )
    }

    /// One write of the system for a line.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
