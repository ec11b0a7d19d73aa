/// How deep the values of a document from outside may lie in each other where a reader calls itself for each level.
package enum DocumentDepth {
    /// The largest number of levels: 128, for which the stack of a thread on Apple platforms, 512 KiB, has room.
    package static let limit = 128
}
