extension NetworkHints {
    /// The option that holds the hints.
    package enum Option: RequestOption {
        /// No hints.
        package static var defaultValue: NetworkHints { [] }
        /// Whether the hints limit no networks.
        package static func isHarmless(_ value: NetworkHints) -> Bool {
            value.isDisjoint(with: [.noCellular, .noExpensive, .noConstrained])
        }
        /// The transports that follow the hints.
        package static var usage: OptionUsage {
            OptionUsage(".network(_:)", reader: "URLSessionTransport() on an Apple platform")
        }
    }
}

extension Request {
    /// Returns the request with hints for the platform, and with limits to the networks that may carry it.
    ///
    /// ```swift
    /// let photos = Request.get("https://photos.example/all").network([.noCellular, .background])
    /// ```
    ///
    /// URLSession follows them on Apple platforms. In other chains, a limit (`.noCellular`, `.noExpensive`,
    /// `.noConstrained`) throws ``UnreadOptionError``, and the other hints have no effect. A call that finds no network
    /// it may use fails with ``TransportError/Kind/networkNotAllowed``.
    public consuming func network(_ hints: NetworkHints) -> Request {
        options[NetworkHints.Option.self] = hints
        return self
    }
}
