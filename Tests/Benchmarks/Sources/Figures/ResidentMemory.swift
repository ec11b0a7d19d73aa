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
    /// Where earlier work gives memory back meanwhile, growth hides in what became free: then it is measured again, and
    /// at last all that became free counts as growth.
    ///
    /// - Parameters:
    ///   - warmUp: A little of the same, first: what the runtime allocates once and for all is not the work's.
    ///   - work: The work.
    static func growth(
        warmingUp warmUp: () async throws -> Void,
        while work: () async throws -> Void
    ) async throws -> Double? {
        guard sizes != nil else { return nil }
        try await warmUp()
        var growth = 0.0
        for _ in 0..<3 {
            try forgetPeak()
            guard let before = sizes else { return nil }
            try await work()
            guard let after = sizes else { return nil }
            growth = Double(after.peak - min(before.resident, after.resident)) / 1024
            if after.resident > before.resident - 1024 { break }
        }
        try checkThatThePeakGrows()
        return growth
    }

    /// A measurement that cannot see memory grow would find every chain frugal.
    private static func checkThatThePeakGrows() throws {
        try forgetPeak()
        let before = sizes?.peak ?? 0
        let held = Data(repeating: 1, count: 64 << 20)
        let growth = (sizes?.peak ?? 0) - before
        guard growth >= held.count / 1024 / 2 else {
            throw BlindMeasurement(
                "the peak of resident memory grew by \(growth) KiB with \(held.count / 1024) KiB held: it shows nothing"
            )
        }
    }

    /// What the process has resident, and the most it had since the peak was last forgotten, in KiB.
    private static var sizes: (resident: Int, peak: Int)? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let lines = status.split(separator: "\n")
        func size(_ name: String) -> Int? {
            let line = lines.first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        }
        guard let resident = size("VmRSS:"), let peak = size("VmHWM:") else { return nil }
        return (resident, peak)
    }

    /// How much is resident now, in MiB; `nil` where the system does not tell.
    static var resident: Double? { sizes.map { Double($0.resident) / 1024 } }

    /// Sets the peak back to what is resident now (`proc(5)`, `clear_refs`), so that earlier work does not hide growth.
    ///
    /// - Throws: ``BlindMeasurement`` where the system does not let us, so that growth would hide below the old peak.
    private static func forgetPeak() throws {
        // What earlier work has left to the allocator would hide growth as well.
        malloc_counter_trim()
        guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else {
            throw BlindMeasurement("the peak of resident memory cannot be reset: /proc/self/clear_refs does not open")
        }
        try handle.write(contentsOf: Data("5".utf8))
        try handle.close()
        guard let sizes, sizes.peak - sizes.resident <= slack else {
            throw BlindMeasurement("the peak of resident memory was not reset: growth would hide below it")
        }
    }

    /// How far, in KiB, the peak may be beyond what is resident after it was reset: other threads go on, and the kernel
    /// counts pages in batches.
    private static let slack = 4096
}

/// The peak of the resident memory does not follow what the process holds, so that no figure can be made of it.
struct BlindMeasurement: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
