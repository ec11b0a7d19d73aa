import Foundation

/// Checks the ownership of a store's files, because other users must be able neither to read the responses nor to plant
/// any.
package enum CacheOwnership {
    /// Rejects symbolic links, unexpected kinds of files, and other users' files.
    ///
    /// Removes other users' permissions from the user's own files. Accepts missing files.
    package static func check(_ path: String, isDirectory: Bool) throws(CacheStoreFault) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw CacheStoreFault(.unsafe(path, "it cannot be inspected"))
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFLNK { throw CacheStoreFault(.unsafe(path, "it is a symbolic link")) }
        guard kind == (isDirectory ? S_IFDIR : S_IFREG) else {
            throw CacheStoreFault(.unsafe(path, isDirectory ? "it is not a directory" : "it is not a regular file"))
        }
        guard status.st_uid == geteuid() else { throw CacheStoreFault(.unsafe(path, "it belongs to another user")) }
        guard status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, isDirectory ? 0o700 : 0o600) == 0 else {
            throw CacheStoreFault(.unsafe(path, "other users have access to it, and that cannot be changed"))
        }
    }
}
