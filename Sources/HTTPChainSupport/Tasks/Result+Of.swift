extension Result where Failure == any Error {
    /// Returns the result of an asynchronous operation.
    package nonisolated(nonsending) static func of(
        _ operation: nonisolated(nonsending) () async throws -> Success
    ) async -> Result {
        do { return .success(try await operation()) } catch { return .failure(error) }
    }
}
