/// Whether the exchange that a request begins may serve other calls than the one whose request it is.
///
/// A stage that lets calls share a transfer sets it. For the stages inside, what else the options say of the call (its
/// deadline, say) holds for that call and not for the exchange, which must not end with it.
package enum SharedExchange: RequestOption {
    /// The exchange is the call's own.
    package static var defaultValue: Bool { false }
}
