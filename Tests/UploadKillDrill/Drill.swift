import DrillSupport
import Foundation
import HTTPChainCore
import HTTPChainResumableUpload
import HTTPTypes

// Makes uploads, one after the other, until it is killed:
// UploadKillDrill <directory>
//
// The directory has the store ("store"), the server ("server", see DirectoryServer) and what is done ("done", a file for
// each upload that was complete). Upload 7 begins anew, or goes on, in the process that finds "done/6" and no "done/7".
// Each part is a dot on standard output.

@main
enum Drill {
    static func main() async {
        Parent.endWithIt()
        guard CommandLine.arguments.count == 2 else {
            print("usage: UploadKillDrill <directory>")
            exit(2)
        }
        let directory = URL(fileURLWithPath: CommandLine.arguments[1])
        do {
            try await run(in: directory)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }

    private static func run(in directory: URL) async throws {
        let done = directory.appendingPathComponent("done")
        let server = try DirectoryServer(directory.appendingPathComponent("server"))
        try FileManager.default.createDirectory(at: done, withIntermediateDirectories: true)
        var number = try FileManager.default.contentsOfDirectory(atPath: done.path).count
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        while true {
            let mark = done.appendingPathComponent("\(number)")
            let store = MarkingStore(
                inner: FileUploadStore(directory: directory.appendingPathComponent("store")),
                mark: mark
            )
            let stage = ResumableUploadMiddleware(
                .tus,
                store: store,
                options: ResumableUploadOptions(partSize: .kibibytes(4))
            )
            let upload = ResumableUpload(metadata: ["number": "\(number)"])
            let content = DrillContent.bytes(of: number)
            let request = Request.post("https://example.com/files", body: HTTPBody(content)).resumableUpload(upload)
            let response = try await stage.intercept(request, next: Next(to: server))
            guard response.upload?.isComplete == true else { throw DrillFailure(status: response.status.code) }
            number += 1
        }
    }
}

struct DrillFailure: Error {
    let status: Int
}

/// Says that an upload is done before the store forgets it: after that nobody could tell.
struct MarkingStore: UploadStore {
    let inner: FileUploadStore
    let mark: URL

    func upload(for key: UploadKey) async throws -> StoredUpload? { try await inner.upload(for: key) }
    func keep(_ upload: StoredUpload, for key: UploadKey) async throws { try await inner.keep(upload, for: key) }

    func forget(_ key: UploadKey) async throws {
        try Data().write(to: mark)
        try await inner.forget(key)
    }
}
