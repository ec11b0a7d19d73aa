import Foundation

/// Writes a body to a file on the package's own threads, combining small chunks.
struct ContentWriter {
    private let content: ContentFile
    private var pending: [Data] = []
    private var pendingCount = 0
    /// The number of bytes appended.
    private(set) var count: Int64 = 0

    init(_ content: ContentFile) {
        self.content = content
    }

    nonisolated(nonsending) mutating func append(_ chunk: Data) async throws {
        pending.append(chunk)
        pendingCount += chunk.count
        count += Int64(chunk.count)
        if pendingCount >= HTTPBody.chunkSize { try await flush() }
    }

    /// Writes the pending bytes.
    nonisolated(nonsending) mutating func flush() async throws {
        guard pendingCount > 0 else { return }
        let start = count - Int64(pendingCount)
        let chunks = pending
        pending = []
        pendingCount = 0
        try await content.access.executor.run { [content] in
            var offset = start
            for chunk in chunks {
                try content.write(chunk, at: offset)
                offset += Int64(chunk.count)
            }
        }
    }
}
