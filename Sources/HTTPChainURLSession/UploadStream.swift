import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)

/// The stream that libcurl reads a request body from.
///
/// FoundationNetworking asks it on the queue that carries all transfers of the session, and takes "no bytes available"
/// for the end: it has to block until there are some.
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
    /// A stream of what a source gives.
    static func reading(
        _ source: any UploadSource,
        onFailure: @escaping @Sendable (any Error, (any Sendable)?) -> Void
    ) -> InputStream? {
        UploadStream(source) { onFailure($0, nil) }
    }
}

#else

extension InputStream {
    /// A stream of what a source gives: one end of a pair whose other end a queue of its own writes.
    ///
    /// - Parameter onFailure: Receives why the source failed, and the other end, which closes when nobody refers to it:
    ///   that would look like the end of the body to a task that is not over.
    static func reading(
        _ source: any UploadSource,
        onFailure: @escaping @Sendable (any Error, (any Sendable)?) -> Void
    ) -> InputStream? {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: HTTPBody.chunkSize, inputStream: &input, outputStream: &output)
        guard let input, let end = output else { return nil }
        // The two ends share nothing but a buffer with a lock of its own, which the compiler cannot see.
        nonisolated(unsafe) let writingEnd = end
        UploadWriter(source, writingEnd, onFailure: onFailure).start()
        return input
    }
}

/// Writes a source into one end of a pair of streams, blocking a queue of its own while the other end is full.
private final class UploadWriter: Sendable {
    private let source: any UploadSource
    /// Touched by the queue alone.
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
                        // The session closed its end: it wants no more of the body.
                        guard step > 0 else { return output.close() }
                        written += step
                    }
                }
                output.close()
            } catch {
                // Closing this end would make what was sent so far look like all of the body, and a task is cancelled
                // some time after it was told: the exchange keeps this end until its task is over.
                onFailure(error, self)
            }
        }
    }
}

#endif
