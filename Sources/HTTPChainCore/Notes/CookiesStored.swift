/// Whether cookies set by a response were stored, so that the next request to the server differs from this one.
///
/// Set by the stage that stores them.
package enum CookiesStoredFact: ResponseOption {
    /// No cookies were stored.
    package static var defaultValue: Bool { false }
}
