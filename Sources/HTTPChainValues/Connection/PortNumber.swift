/// The numbers of TCP ports that a client can connect to.
package enum PortNumber {
    /// Returns the reason why a number isn't a port; `nil` if it is one.
    ///
    /// The system's functions use 16 bits, so a larger number would become a different port.
    package static func problem(of number: Int) -> String? {
        (1...65535).contains(number) ? nil : "\(number) is not a port; ports are 1 to 65535"
    }
}
