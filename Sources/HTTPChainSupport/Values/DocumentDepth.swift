/// The nesting limit for documents from outside, for recursive parsers.
package enum DocumentDepth {
    /// The maximum number of levels: 128, which fits the 512 KiB stack of a thread on Apple platforms.
    package static let limit = 128
}
