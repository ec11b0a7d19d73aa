import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The content of an upload.
///
/// Any part of it can be sent.
struct UploadContent: Sendable {
    private enum Source: Sendable {
        case bytes(Data)
        case file(URL, start: Int64, version: FileVersion)
        case stream(ContentStream)
    }

    private let source: Source
    /// The number of bytes.
    let length: Int64

    /// - Throws: ``UploadError`` if parts of the body can't be sent; `BodyError` if its file can't be opened.
    init(_ body: HTTPBody) async throws {
        guard body.isReplayable, body.value == nil else { throw UploadError(.notReplayable) }
        guard let length = try await body.measuredLength() else {
            if let file = body.file { _ = try await Self.version(of: file.url) }
            throw UploadError(.unknownLength)
        }
        self.length = length
        if let bytes = body.bytes {
            source = .bytes(bytes)
        } else if let (url, range) = body.file {
            source = .file(url, start: range?.lowerBound ?? 0, version: try await Self.version(of: url))
        } else {
            source = .stream(ContentStream(body))
        }
    }

    private static func version(of url: URL) async throws -> FileVersion {
        let access = FileAccess.standard
        return try await access.executor.run { try ContentFile.reading(url.path, access: access).version }
    }

    /// Returns the bytes of a range.
    ///
    /// - Throws: ``UploadError/Problem/contentChanged`` if the file has changed; `BodyError` if it can't be opened.
    func part(_ range: Range<Int64>) async throws -> HTTPBody {
        switch source {
        case .bytes(let bytes): return HTTPBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .file(let url, let start, let version):
            guard try await Self.version(of: url) == version else { throw UploadError(.contentChanged) }
            return .file(url, range: start + range.lowerBound..<start + range.upperBound)
        case .stream(let stream):
            return .replayable(length: Int64(range.count)) { ContentPartReader(stream: stream, range: range) }
        }
    }

    /// Returns a text that identifies the content, or `nil` for a stream, which hasn't been read yet.
    func identity() async throws -> String? {
        switch source {
        case .bytes(let bytes):
            let digest = try await UploadChecksum.sha256(of: HTTPBody(bytes))
            return "sha-256 " + String(decoding: digest.hexadecimal, as: UTF8.self)
        case .file(let url, let start, let version):
            return "file \(version.size) \(version.modified) \(start) \(url.standardizedFileURL.path)"
        case .stream: return nil
        }
    }
}
