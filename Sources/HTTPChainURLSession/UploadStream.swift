import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)

/// The stream from which libcurl reads a request body.
///
/// FoundationNetworking reads it on the queue for all transfers of the session, and treats "no bytes available" as the
/// end. Reading must therefore block until there are bytes.
final class UploadStream: InputStream {
    private let source: any UploadSource
    private let onFailure: @Sendable (any Error) -> Void
    private var status = Stream.Status.notOpen

    init(_ source: any UploadSource, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.source = source
        self.onFailure = onFailure
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { true }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        do {
            let count = try source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            if count == 0 { status = .atEnd }
            return count
        } catch {
            status = .error
            onFailure(error)
            return -1
        }
    }
}

extension InputStream {
    /// Returns a stream of a source's bytes.
    static func reading(
        _ source: any UploadSource,
        onFailure: @escaping @Sendable (any Error, (any Sendable)?) -> Void
    ) -> InputStream? {
        UploadStream(source) { onFailure($0, nil) }
    }
}

#else

extension InputStream {
    /// Returns a stream of a source's bytes; it is one end of a pair, and a separate queue writes to the other end.
    ///
    /// - Parameter onFailure: A closure that receives the source's error, and the other end of the pair. That end
    ///   closes when it is deallocated, which would look like the end of the body to a task that hasn't ended.
    static func reading(
        _ source: any UploadSource,
        onFailure: @escaping @Sendable (any Error, (any Sendable)?) -> Void
    ) -> InputStream? {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: HTTPBody.chunkSize, inputStream: &input, outputStream: &output)
        guard let input, let end = output else { return nil }
        // The two ends share only a buffer that has its own lock, which the compiler can't see.
        nonisolated(unsafe) let writingEnd = end
        UploadWriter(source, writingEnd, onFailure: onFailure).start()
        return input
    }
}

/// Writes a source to one end of a pair of streams; blocks a separate queue while the other end is full.
private final class UploadWriter: Sendable {
    private let source: any UploadSource
    /// The stream, which only the queue uses.
    private let output: Locked<OutputStream>
    private let onFailure: @Sendable (any Error, (any Sendable)?) -> Void

    init(
        _ source: any UploadSource,
        _ output: sending OutputStream,
        onFailure: @escaping @Sendable (any Error, (any Sendable)?) -> Void
    ) {
        self.source = source
        self.output = Locked(output)
        self.onFailure = onFailure
    }

    func start() {
        DispatchQueue(label: "HTTPChain.upload").async { self.run() }
    }

    private func run() {
        output.withLock { output in
            output.open()
            var buffer = [UInt8](repeating: 0, count: HTTPBody.chunkSize)
            do {
                while true {
                    let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
                    guard count > 0 else { break }
                    var written = 0
                    while written < count {
                        let step = buffer[written..<count].withUnsafeBufferPointer { bytes in
                            bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? -1
                        }
                        // The session has closed its end, because it needs no more of the body.
                        guard step > 0 else { return output.close() }
                        written += step
                    }
                }
                output.close()
            } catch {
                // Closing this end would make the partial body look complete, and cancelling the task takes some time.
                // The exchange therefore keeps this end open until its task has ended.
                onFailure(error, self)
            }
        }
    }
}

#endif
