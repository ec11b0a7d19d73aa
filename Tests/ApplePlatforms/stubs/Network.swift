// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

import Foundation

// https://developer.apple.com/documentation/network/dnsserviceerrortype
public typealias DNSServiceErrorType = Int32
// https://developer.apple.com/documentation/network/nwendpoint
public enum NWEndpoint: Sendable, Hashable {
    public struct Port: Sendable, Hashable, ExpressibleByIntegerLiteral {
        public init?(rawValue: UInt16) {}
        public init(integerLiteral value: UInt16) {}
    }
    public enum Host: Sendable, Hashable {
        case name(String)
        public init(_ string: String) { self = .name(string) }
    }
    case hostPort(host: Host, port: Port)
}
// https://developer.apple.com/documentation/network/nwprotocoltls
public final class NWProtocolTLS { public final class Options {} }
// https://developer.apple.com/documentation/network/proxyconfiguration (macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1)
public struct ProxyConfiguration: Sendable {
    public init(httpCONNECTProxy proxyEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
    public init(socksv5Proxy proxyEndpoint: NWEndpoint) {}
    public mutating func applyCredential(username: String, password: String) {}
}
// https://developer.apple.com/documentation/network/nwerror
public enum NWError: Error, Equatable, Sendable { case posix(POSIXErrorCode), dns(DNSServiceErrorType), tls(Int32) }
