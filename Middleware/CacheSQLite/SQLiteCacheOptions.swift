#if SQLite
/// The settings of a store in SQLite.
///
/// ```swift
/// var options = SQLiteCacheOptions()
/// options.overwritesWhatIsRemoved = true
/// options.fileProtection = .completeUntilFirstUserAuthentication
/// ```
public struct SQLiteCacheOptions: Sendable, Hashable {
    /// The protection that says when the system lets the files be read, on iOS and its relatives; elsewhere it changes
    /// nothing.
    public enum FileProtection: Sendable, Hashable {
        /// While the device is unlocked. Calls go to the server while it is locked.
        case complete
        /// Files that are open stay readable when the device is locked.
        case completeUnlessOpen
        /// From the first time that the device is unlocked.
        case completeUntilFirstUserAuthentication
        /// Always.
        case none
    }

    /// Whether what is removed is overwritten with zeros, in the database and in its journal; `false` by default.
    ///
    /// It costs as much writing as was written for what is removed. A removal that the application asks for is complete
    /// when it returns, unless another process reads meanwhile; then it is when the next one is. What a disk keeps of
    /// blocks that were overwritten is its own business: encrypt what nobody may ever read (`HTTPChainCacheEncrypted`).
    public var overwritesWhatIsRemoved = false
    /// The protection that says when the system lets the files be read; as the app's other files by default.
    public var fileProtection: FileProtection?

    /// Makes the options; see each property for its default.
    public init() {}
}
#endif
