// Downloads a file, with a progress bar.
//
//     swift run Download                                    from a server in this process, on the loopback interface
//     swift run Download https://host/path [file]           from any server, to a file in this directory

import Foundation
import HTTPChain

let arguments = CommandLine.arguments.dropFirst()
do {
    if let url = arguments.first {
        let name = arguments.dropFirst().first ?? fileName(of: url)
        try await download(url, to: URL(fileURLWithPath: name))
    } else {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-download.bin")
        try await withDemoServer { try await download($0 + "/map.bin", to: file) }
    }
} catch {
    print("\(error)")
    exit(1)
}

/// Returns the last part of a URL's path, without characters that could make it name another directory.
func fileName(of url: String) -> String {
    let last = URL(string: url)?.lastPathComponent ?? ""
    // The bytes are compared, because a combining mark after a separator forms a different `Character`.
    let isOther = last.utf8.contains(UInt8(ascii: "/")) || last.utf8.first == UInt8(ascii: ".")
    return last.isEmpty || isOther ? "download" : last
}
