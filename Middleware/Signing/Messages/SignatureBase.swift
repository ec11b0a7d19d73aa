import HTTPChainSupport

/// The signed text (RFC 9421 §2.5), with a line for each component, and one for the parameters.
enum SignatureBase {
    /// - Parameters:
    ///   - components: The components, in order.
    ///   - parameters: The parameters, as in `Signature-Input`.
    ///   - value: Derives the value of a component.
    static func text(
        of components: [SignatureComponent],
        parameters: String,
        _ value: ComponentValue
    ) throws(SigningError) -> String {
        var base = ""
        for component in components {
            base += try component.identifier()
            base += ": "
            let value = try value(component)
            Steps.take(value.utf8.count)
            base += value
            base += "\n"
        }
        base += "\"@signature-params\": "
        base += parameters
        return base
    }
}
