// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import CoreFoundationStub
// What Foundation has on Apple platforms and Foundation (without FoundationNetworking and FoundationXML) has not on
// Linux, from the interface of the SDK (signatures: Apple's documentation; Sendable: NS_SWIFT_SENDABLE of the headers since SDK 14).
// A method of a delegate that the transport implements is a requirement here, so that one that does not match is told.
@_exported import Foundation
public import Network
import Security

// https://developer.apple.com/documentation/foundation/urlresponse
open class URLResponse: NSObject, @unchecked Sendable {
    open var url: URL? { nil }
    open var expectedContentLength: Int64 { -1 }
}
// https://developer.apple.com/documentation/foundation/httpurlresponse
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
    open func value(forHTTPHeaderField field: String) -> String? { nil }
}
// https://developer.apple.com/documentation/foundation/cachedurlresponse
open class CachedURLResponse: NSObject, @unchecked Sendable {}
// https://developer.apple.com/documentation/foundation/urlcache
open class URLCache: NSObject, @unchecked Sendable {}
// https://developer.apple.com/documentation/foundation/urlcredentialstorage
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
// https://developer.apple.com/documentation/foundation/urlcredential
open class URLCredential: NSObject, @unchecked Sendable {
    public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
    public init(user: String, password: String, persistence: Persistence) {}
    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {}
    public init(trust: SecTrust) {}
}
// https://developer.apple.com/documentation/foundation/urlprotectionspace
open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var authenticationMethod: String { "" }
    open var host: String { "" }
    open var port: Int { 0 }
    open override func isProxy() -> Bool { false }
    open var serverTrust: SecTrust? { nil }
    open var distinguishedNames: [Data]? { nil }
}
// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { fatalError() }
    open var proposedCredential: URLCredential? { nil }
    open var previousFailureCount: Int { 0 }
    open var failureResponse: URLResponse? { nil }
    open var error: (any Error)? { nil }
}
// https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodservertrust
public let NSURLAuthenticationMethodServerTrust = ""
// https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodclientcertificate
public let NSURLAuthenticationMethodClientCertificate = ""
// https://developer.apple.com/documentation/foundation/urlrequest
public struct URLRequest: Sendable, Hashable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) {
        self.url = url
    }
    public var url: URL?
    public var httpMethod: String?
    public var timeoutInterval: TimeInterval = 60
    // https://developer.apple.com/documentation/foundation/nsurlrequest/networkservicetype-swift.enum
    public enum NetworkServiceType: UInt, Sendable {
        case `default`, video, background, voice, responsiveData, avStreaming, responsiveAV, callSignaling
    }
    public var networkServiceType: NetworkServiceType = .default
    public var allowsCellularAccess = true
    public var allowsExpensiveNetworkAccess = true
    public var allowsConstrainedNetworkAccess = true
    // https://developer.apple.com/documentation/foundation/urlrequest/assumeshttp3capable
    public var assumesHTTP3Capable = false
    public var httpBody: Data?
    public var httpBodyStream: InputStream? {
        get { nil }
        set {}
    }
    public func value(forHTTPHeaderField field: String) -> String? { nil }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}
// https://developer.apple.com/documentation/foundation/nsurlrequest
public typealias NSURLRequest = URLRequest
// https://developer.apple.com/documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { 0 }
    open var originalRequest: URLRequest? { nil }
    open var response: URLResponse? { nil }
    open var error: (any Error)? { nil }
    open func cancel() {}
    open func resume() {}
}
// https://developer.apple.com/documentation/foundation/urlsessiondatatask
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
// https://developer.apple.com/documentation/foundation/urlsessionuploadtask
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
// https://developer.apple.com/documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { fatalError() }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
    open var requestCachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 0
    open var timeoutIntervalForResource: TimeInterval = 0
    open var allowsExpensiveNetworkAccess = true
    open var allowsConstrainedNetworkAccess = true
    open var waitsForConnectivity = false
    open var allowsCellularAccess = true
    open var proxyConfigurations: [ProxyConfiguration] = []
    open var connectionProxyDictionary: [AnyHashable: Any]?
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t = .TLSv12
    open var httpShouldSetCookies = true
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .always
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    open var httpMaximumConnectionsPerHost = 6
    open var httpCookieStorage: HTTPCookieStorage?
    open var urlCredentialStorage: URLCredentialStorage?
    open var urlCache: URLCache?
    open var protocolClasses: [AnyClass]?
}
// https://developer.apple.com/documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
    public init(configuration: URLSessionConfiguration) {}
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {}
    // https://developer.apple.com/documentation/foundation/urlsession/configuration
    open var configuration: URLSessionConfiguration { fatalError() }
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
}
// https://developer.apple.com/documentation/foundation/urlsessiondelegate
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
}
// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    )
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    )
    // https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:taskiswaitingforconnectivity:)
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
// https://developer.apple.com/documentation/foundation/urlsessiondatadelegate
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    )
}
// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    open var fetchStartDate: Date? { nil }
    open var domainLookupStartDate: Date? { nil }
    open var domainLookupEndDate: Date? { nil }
    open var connectStartDate: Date? { nil }
    open var connectEndDate: Date? { nil }
    open var secureConnectionStartDate: Date? { nil }
    open var secureConnectionEndDate: Date? { nil }
    open var networkProtocolName: String? { nil }
    open var isProxyConnection: Bool { false }
    open var isReusedConnection: Bool { false }
    open var isCellular: Bool { false }
    open var isExpensive: Bool { false }
    open var isConstrained: Bool { false }
    open var isMultipath: Bool { false }
}
// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { [] }
    open var taskInterval: DateInterval { DateInterval() }
    open var redirectCount: Int { 0 }
}
// https://developer.apple.com/documentation/foundation/httpcookiepropertykey
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public static let name = Self("Name"), value = Self("Value"), path = Self("Path"), version = Self("Version")
    public static let domain = Self("Domain"), expires = Self("Expires"), discard = Self("Discard"),
        secure = Self("Secure")
    public static let sameSitePolicy = Self("SameSite"), maximumAge = Self("Max-Age"), originURL = Self("OriginURL")
}
// https://developer.apple.com/documentation/foundation/httpcookiestringpolicy
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let sameSiteLax = Self(rawValue: "lax"), sameSiteStrict = Self(rawValue: "strict")
}
// https://developer.apple.com/documentation/foundation/httpcookie
open class HTTPCookie: NSObject, @unchecked Sendable {
    public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
    public init?(properties: [HTTPCookiePropertyKey: Any]) {}
    open var name: String { "" }
    open var value: String { "" }
    open var domain: String { "" }
    open var path: String { "" }
    open var expiresDate: Date? { nil }
    open var isSessionOnly: Bool { false }
    open var isSecure: Bool { false }
    open var isHTTPOnly: Bool { false }
    open var sameSitePolicy: HTTPCookieStringPolicy? { nil }
}
// https://developer.apple.com/documentation/foundation/httpcookiestorage
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
    open class var shared: HTTPCookieStorage { fatalError() }
    open var cookies: [HTTPCookie]? { nil }
    open func setCookie(_ cookie: HTTPCookie) {}
}
extension URLError {
    // https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.enum
    public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }
    public var networkUnavailableReason: NetworkUnavailableReason? { nil }
}
extension Stream {
    public class func getBoundStreams(
        withBufferSize bufferSize: Int,
        inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}
// https://developer.apple.com/documentation/foundation/xmlparser
open class XMLParser: NSObject {
    public init(data: Data) {}
    weak open var delegate: (any XMLParserDelegate)?
    open func parse() -> Bool { false }
    open func abortParsing() {}
}
// https://developer.apple.com/documentation/foundation/xmlparserdelegate
public protocol XMLParserDelegate: NSObjectProtocol {
    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    )
    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?
    )
}
