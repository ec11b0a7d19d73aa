import Foundation
import MallocCounter
import Scenarios

/// How far the resident memory of the process grows while a file much larger than it goes through a chain.
enum ResidentMemory {
    /// Growth of the peak, in MiB, while a file of a size is sent; `nil` where the system does not tell.
    static func growth(for size: Int64, sending send: (SparseFile) async throws -> Void) async throws -> Double? {
        let small = try BodyScenarios.sparseFile(of: 1 << 20)
        defer { small.delete() }
        let large = try BodyScenarios.sparseFile(of: size)
        defer { large.delete() }
        return try await growth(warmingUp: { try await send(small) }, while: { try await send(large) })
    }

    /// Growth of the peak, in MiB, while some work is done; `nil` where the system does not tell.
    ///
    /// - Parameters:
    ///   - warmUp: A little of the same, first: what the runtime allocates once and for all is not the work's.
    ///   - work: The work.
    static func growth(
        warmingUp warmUp: () async throws -> Void,
        while work: () async throws -> Void
    ) async throws -> Double? {
        guard peakKiB != nil else { return nil }
        try await warmUp()
        for _ in 0..<3 {
            forgetPeak()
            guard let before = peakKiB else { return nil }
            try await work()
            guard let after = peakKiB else { return nil }
            // A measurement that cannot see memory grow would find every chain frugal. It is blind where what earlier
            // suites have left is freed meanwhile; the next time that is gone.
            let held = Data(repeating: 1, count: 64 << 20)
            if let seen = peakKiB, seen - after >= held.count / 1024 / 2 { return Double(after - before) / 1024 }
        }
        throw BlindMeasurement()
    }

    /// The most memory the process had resident since the peak was last forgotten.
    private static var peakKiB: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    /// Sets the peak back to what is resident now (`proc(5)`, `clear_refs`), so that earlier suites do not hide growth.
    private static func forgetPeak() {
        // What earlier work has left to the allocator would hide growth as well.
        malloc_counter_trim()
        guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? handle.write(contentsOf: Data("5".utf8))
        try? handle.close()
    }
}

/// The peak of the resident memory does not follow what the process holds.
struct BlindMeasurement: Error, CustomStringConvertible {
    let description = "the peak of resident memory does not grow with memory held: what it shows says nothing"
}
