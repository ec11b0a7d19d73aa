package import HTTPChainCore
package import HTTPChainTesting

extension Request {
    /// Returns the request in an environment whose time is a virtual clock's.
    package func on(_ clock: VirtualClock) -> Request {
        var request = self
        request.environment = .virtual(clock)
        return request
    }
}
