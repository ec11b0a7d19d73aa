import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A tus server whose uploads are the files of a directory.
///
/// "7-1a2b" is one of the drill's upload 7, and has the bytes that were received. The process may be killed at any time.
struct DirectoryServer: Transport {
    private let directory: URL

    init(_ directory: URL) throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    let capabilities: TransportCapabilities = []

    func send(_ request: consuming Request) async throws -> Response {
        let fields = request.head.headerFields
        let path = request.head.path ?? ""
        switch request.head.method {
        case .post:
            let metadata = fields[Self.name("Upload-Metadata")] ?? ""
            let encoded = metadata.split(separator: " ").last.flatMap { Data(base64Encoded: String($0)) } ?? Data()
            let name = String(decoding: encoded, as: UTF8.self) + "-" + String(UInt64.random(in: 0 ... .max), radix: 16)
            guard FileManager.default.createFile(atPath: file(name).path, contents: nil) else {
                return Response(.internalServerError)
            }
            return Response(.created, headers: [.location: "/uploads/\(name)"])
        case .head:
            guard let size = size(path) else { return Response(.notFound) }
            return Response(.ok, headers: [Self.name("Upload-Offset"): "\(size)"])
        case .patch:
            guard let size = size(path) else { return Response(.notFound) }
            guard fields[Self.name("Upload-Offset")] == "\(size)" else { return Response(.conflict) }
            let content = try await request.body.collect()
            let handle = try FileHandle(forWritingTo: file(path))
            try handle.seekToEnd()
            // In pieces, so that a kill cuts a part somewhere.
            for start in stride(from: 0, to: content.count, by: 512) {
                try handle.write(contentsOf: content[start..<min(start + 512, content.count)])
            }
            try handle.close()
            FileHandle.standardOutput.write(Data(".".utf8))
            return Response(.noContent, headers: [Self.name("Upload-Offset"): "\(size + content.count)"])
        default: return Response(.methodNotAllowed)
        }
    }

    private func file(_ path: String) -> URL {
        directory.appendingPathComponent(path.split(separator: "/").last.map(String.init) ?? "none")
    }

    private func size(_ path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file(path).path)
        return attributes?[.size] as? Int
    }

    private static func name(_ text: StaticString) -> HTTPField.Name { HTTPField.Name(constant: text) }
}
