#if AllTests
import Foundation
import TestSupport

@testable import HTTPChainOAuth

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A connection of somebody on this machine to a loopback server.
final class Visitor: Sendable {
    private let descriptor: Int32
    private let port: UInt16

    init(port: UInt16) throws {
        self.port = port
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw CocoaError(.fileNoSuchFile) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { LoopbackSocket.closeDescriptor(descriptor) }

    /// The status line of the response to a request.
    func get(_ target: String) async throws -> String {
        let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        LoopbackSocket.writeBytes(Data(request.utf8), to: descriptor)
        var response = Data()
        try await until("the end of the response") {
            guard let bytes = LoopbackSocket.readBytes(descriptor) else { return false }
            response += bytes
            return bytes.isEmpty
        }
        return String(decoding: response.prefix { $0 != 13 }, as: UTF8.self)
    }
}
#endif
