/// The numbers of TCP ports that a client can connect to.
package enum PortNumber {
    /// Returns the reason why a number isn't a port; `nil` if it is one.
    ///
    /// The system's functions take 16 bits, so that a larger number would be another port.
    package static func problem(of number: Int) -> String? {
        (1...65535).contains(number) ? nil : "\(number) is not a port; ports are 1 to 65535"
    }
}
