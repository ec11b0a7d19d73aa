#if SQLite
/// The options of an SQLite store.
///
/// ```swift
/// var options = SQLiteCacheOptions()
/// options.overwritesWhatIsRemoved = true
/// options.fileProtection = .completeUntilFirstUserAuthentication
/// ```
public struct SQLiteCacheOptions: Sendable, Hashable {
    /// The data protection of the files on iOS and related systems; ignored elsewhere.
    public enum FileProtection: Sendable, Hashable {
        /// The files are readable while the device is unlocked; while it is locked, calls go to the server.
        case complete
        /// Files that are already open stay readable when the device is locked.
        case completeUnlessOpen
        /// The files are readable after the device was first unlocked.
        case completeUntilFirstUserAuthentication
        /// The files are always readable.
        case none
    }

    /// Whether removed data is overwritten with zeros, in the database and in its journal; `false` by default.
    ///
    /// Overwriting costs as much as writing the data did. When an explicit removal returns, the data is overwritten,
    /// unless another process is reading; it is then overwritten by the next removal. A disk may still keep overwritten
    /// blocks, so encrypt data that must never be readable (`HTTPChainCacheEncrypted`).
    public var overwritesWhatIsRemoved = false
    /// The data protection of the files; that of the app's other files by default.
    public var fileProtection: FileProtection?

    /// Creates options; see each property for its default.
    public init() {}
}
#endif
