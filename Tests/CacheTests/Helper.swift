import Foundation

/// CacheKillDrill, the process that tests start beside themselves.
enum Helper {
    /// It stands beside the tests.
    static var url: URL? {
        let candidates = [CommandLine.arguments[0], Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        for candidate in candidates {
            let url = URL(fileURLWithPath: candidate).deletingLastPathComponent()
                .appendingPathComponent("CacheKillDrill")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        return nil
    }

    /// Does what blocks its thread where no other test waits for one.
    static func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
        }
    }
}
