import HTTPChainCore

/// The user of an upload, which is checked again for each of the upload's requests.
struct UploadOwner: Sendable {
    /// A name that distinguishes the user, or `nil` if the user is unknown.
    let name: String?
    private let partition: UserPartition

    /// - Throws: Errors of the partition's closure.
    init(of request: Request, in partition: UserPartition) async throws {
        self.partition = partition
        name = if case .user(let name) = try await partition.owner(of: request) { name } else { nil }
    }

    /// Returns whether the user is still the one for whom the upload began.
    ///
    /// - Throws: Errors of the partition's closure.
    func isOwner(of request: Request) async throws -> Bool {
        guard let name, partition.seesUsers else { return true }
        guard case .user(let now) = try await partition.owner(of: request) else { return false }
        return now.hasSameBytes(as: name)
    }
}
