/// Whether the exchange that a request starts may serve calls other than its own.
///
/// Set by a stage that lets calls share a transfer. For inner stages, the call's other options (such as its deadline)
/// then apply to that call only, and must not end the exchange.
package enum SharedExchange: RequestNote {
    /// The exchange belongs to the call.
    package static var defaultValue: Bool { false }
}
