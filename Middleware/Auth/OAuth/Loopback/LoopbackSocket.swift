import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The loopback server's system calls.
///
/// They never block: every socket is non-blocking.
enum LoopbackSocket {
    /// The system's last message.
    static var lastError: String { String(cString: strerror(errno)) }

    /// Creates a socket that listens on 127.0.0.1.
    static func listen(at port: UInt16) throws(SignInError) -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #elseif canImport(Musl)
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
                systemBind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, systemListen(descriptor, 16) == 0 else {
            let why = lastError
            close(descriptor)
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
    static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { return nil }
        for end in ends { prepare(end) }
        return (ends[0], ends[1])
    }

    /// Accepts the next connection, or returns `nil` if there is none.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = systemAccept(listener)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        return descriptor
    }

    /// Returns the bytes that have arrived; empty at the end, or `nil` if none have.
    static func read(_ descriptor: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = systemRead(descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : Data() }
        return Data(buffer.prefix(count))
    }

    /// Writes what fits; a response is far smaller than the system's buffer.
    static func write(_ bytes: Data, to descriptor: Int32) {
        bytes.withUnsafeBytes { _ = systemWrite(descriptor, $0.baseAddress, $0.count) }
    }

    /// Closes the writing side of the connection.
    static func endWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var isOn: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}

// Wrappers, because the methods above have the same names as the system calls.

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }

private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    write(descriptor, bytes, count)
    #else
    // Pipes aren't sockets. This one is never written to after its other end was closed.
    let sent = send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    return sent < 0 && errno == ENOTSOCK ? write(descriptor, bytes, count) : sent
    #endif
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
