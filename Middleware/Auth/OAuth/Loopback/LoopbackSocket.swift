import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Wrappers for the loopback server's system calls.
///
/// They never block: every socket is non-blocking.
enum LoopbackSocket {
    /// The system's message for the last error.
    static var lastError: String { String(cString: strerror(errno)) }

    /// Creates a socket that listens on 127.0.0.1.
    static func listener(at port: UInt16) throws(SignInError) -> Int32 {
        #if canImport(Darwin) || canImport(Musl)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw SignInError(.cannotListen(lastError)) }
        prepare(descriptor)
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else {
            let why = lastError
            closeDescriptor(descriptor)
            throw SignInError(.cannotListen(why))
        }
        return descriptor
    }

    /// Returns the port that a socket is bound to.
    static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        return isKnown ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Creates a pipe for waking a poll.
    static func makePipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { prepare(end) }
        return (ends[0], ends[1])
    }

    /// Accepts the next connection, or returns `nil` if there is none.
    static func acceptConnection(_ listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        return descriptor
    }

    /// Returns the bytes that have arrived; returns no bytes at the end, and `nil` if none have arrived yet.
    static func readBytes(_ descriptor: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : Data() }
        return Data(buffer.prefix(count))
    }

    /// Writes as much as fits the system's buffer, which is far larger than a response.
    static func writeBytes(_ bytes: Data, to descriptor: Int32) {
        bytes.withUnsafeBytes { bytes in
            #if canImport(Darwin)
            _ = write(descriptor, bytes.baseAddress, bytes.count)
            #else
            // Pipes aren't sockets. This pipe is never written to after its other end was closed.
            let sent = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent < 0, errno == ENOTSOCK { _ = write(descriptor, bytes.baseAddress, bytes.count) }
            #endif
        }
    }

    /// Closes the writing side of the connection.
    static func endWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var isOn: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
