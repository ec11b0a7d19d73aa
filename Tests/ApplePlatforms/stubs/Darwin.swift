// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// A stub of the Darwin module: what differs from Glibc has its Darwin type here, under the name D_x, which
// apple_source.py writes in the place of x. The rest is Glibc's.
@_exported import Glibc

// mode_t and nlink_t are UInt16, off_t is Int64, and S_* are mode_t in the overlay.
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/_types.h
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/stat.h
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Platform/Platform.swift
public typealias D_mode_t = UInt16
public struct D_stat {
    public init() {}
    public var st_dev: Int32 = 0, st_mode: D_mode_t = 0, st_nlink: UInt16 = 0, st_ino: UInt64 = 0
    public var st_uid: UInt32 = 0, st_gid: UInt32 = 0, st_rdev: Int32 = 0
    public var st_atimespec = timespec(), st_mtimespec = timespec(), st_ctimespec = timespec(),
        st_birthtimespec = timespec()
    public var st_size: Int64 = 0, st_blocks: Int64 = 0, st_blksize: Int32 = 0, st_flags: UInt32 = 0, st_gen: UInt32 = 0
}
@discardableResult public func Df_stat(_ p: UnsafePointer<CChar>!, _ s: UnsafeMutablePointer<D_stat>!) -> Int32 { 0 }
@discardableResult public func D_lstat(_ p: UnsafePointer<CChar>!, _ s: UnsafeMutablePointer<D_stat>!) -> Int32 { 0 }
@discardableResult public func D_fstat(_ d: Int32, _ s: UnsafeMutablePointer<D_stat>!) -> Int32 { 0 }
public var D_S_IFMT: D_mode_t { 0o170000 }
public var D_S_IFREG: D_mode_t { 0o100000 }
public var D_S_IFDIR: D_mode_t { 0o040000 }
public var D_S_IFLNK: D_mode_t { 0o120000 }
public var D_S_IFIFO: D_mode_t { 0o010000 }
public var D_S_IFSOCK: D_mode_t { 0o140000 }
public var D_S_ISVTX: D_mode_t { 0o001000 }
@discardableResult public func D_mkdir(_ p: UnsafePointer<CChar>!, _ m: D_mode_t) -> Int32 { 0 }
@discardableResult public func D_chmod(_ p: UnsafePointer<CChar>!, _ m: D_mode_t) -> Int32 { 0 }
@discardableResult public func D_fchmod(_ d: Int32, _ m: D_mode_t) -> Int32 { 0 }
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Platform/Platform.swift
public func D_open(_ p: UnsafePointer<CChar>, _ f: Int32) -> Int32 { 0 }
public func D_open(_ p: UnsafePointer<CChar>, _ f: Int32, _ m: D_mode_t) -> Int32 { 0 }
// https://github.com/apple-oss-distributions/Libc/blob/main/include/dirent.h
public struct D_DIR { public init() {} }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/dirent.h
public struct D_dirent {
    public init() {};
    public var d_ino: UInt64 = 0, d_seekoff: UInt64 = 0, d_reclen: UInt16 = 0, d_namlen: UInt16 = 0, d_type: UInt8 = 0
    public var d_name: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
}
public func D_opendir(_ p: UnsafePointer<CChar>!) -> UnsafeMutablePointer<D_DIR>! { nil }
public func D_readdir(_ d: UnsafeMutablePointer<D_DIR>!) -> UnsafeMutablePointer<D_dirent>! { nil }
@discardableResult public func D_closedir(_ d: UnsafeMutablePointer<D_DIR>!) -> Int32 { 0 }
// The overlay's fcntl.
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Platform/Platform.swift
@discardableResult public func D_fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { 0 }
@discardableResult public func D_fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { 0 }
@discardableResult public func D_fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { 0 }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/fcntl.h
public var F_FULLFSYNC: Int32 { 51 }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/socket.h
public var D_SOCK_STREAM: Int32 { 1 }
public var D_SHUT_WR: Int32 { 1 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public typealias D_sa_family_t = UInt8
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/netinet/in.h
public struct D_in_addr {
    public init() {}; public init(s_addr: UInt32) { self.s_addr = s_addr }; public var s_addr: UInt32 = 0
}
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/socket.h
public struct D_sockaddr { public init() {}; public var sa_len: UInt8 = 0, sa_family: D_sa_family_t = 0 }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/netinet/in.h
public struct D_sockaddr_in {
    public init() {}
    public var sin_len: UInt8 = 0, sin_family: D_sa_family_t = 0, sin_port: UInt16 = 0, sin_addr = D_in_addr()
    public var sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0)
}
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/socket.h
public func D_socket(_ d: Int32, _ t: Int32, _ p: Int32) -> Int32 { 0 }
@discardableResult public func D_bind(_ d: Int32, _ a: UnsafePointer<D_sockaddr>!, _ l: socklen_t) -> Int32 { 0 }
@discardableResult public func D_getsockname(
    _ d: Int32,
    _ a: UnsafeMutablePointer<D_sockaddr>!,
    _ l: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@discardableResult public func D_accept(
    _ d: Int32,
    _ a: UnsafeMutablePointer<D_sockaddr>!,
    _ l: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@discardableResult public func D_shutdown(_ d: Int32, _ how: Int32) -> Int32 { 0 }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/poll.h
public typealias D_nfds_t = UInt32
@discardableResult public func D_poll(_ p: UnsafeMutablePointer<pollfd>!, _ n: D_nfds_t, _ t: Int32) -> Int32 { 0 }
// The overlay's TIOCGWINSZ.
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Platform/TiocConstants.swift
public var D_TIOCGWINSZ: UInt { 0x40087468 }
// https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/ioctl.h
@discardableResult public func D_ioctl(_ fd: Int32, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> Int32 { 0 }
@discardableResult public func D_ioctl(_ fd: Int32, _ request: UInt, _ value: Int32) -> Int32 { 0 }
// https://github.com/apple-oss-distributions/Libc/blob/main/include/unistd.h
@discardableResult public func D_usleep(_ t: UInt32) -> Int32 { 0 }
