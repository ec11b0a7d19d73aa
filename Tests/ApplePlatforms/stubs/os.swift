// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
// What the kit uses of the module os. `OSLogMessage` takes an interpolation only, as there, where the compiler evaluates it.

// https://developer.apple.com/documentation/os/oslogtype
public struct OSLogType: Equatable, Sendable {
    public static let `default` = OSLogType()
    public static let info = OSLogType()
    public static let debug = OSLogType()
    public static let error = OSLogType()
    public static let fault = OSLogType()
}
// https://developer.apple.com/documentation/os/oslog
public final class OSLog: @unchecked Sendable {
    public convenience init(subsystem: String, category: String) { self.init() }
    init() {}
    // https://developer.apple.com/documentation/os/oslog/isenabled(type:)
    public func isEnabled(type: OSLogType) -> Bool { false }
}
// https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
}
// https://developer.apple.com/documentation/os/osloginterpolation
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String,
        privacy: OSLogPrivacy = .private
    ) {}
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Int,
        privacy: OSLogPrivacy = .public
    ) {}
}
// https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}
// https://developer.apple.com/documentation/os/logger
public struct Logger: @unchecked Sendable {
    public init(_ logObject: OSLog) {}
    public init(subsystem: String, category: String) {}
    // https://developer.apple.com/documentation/os/logger/log(level:_:)
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}
// https://developer.apple.com/documentation/os/ossignpostid
public struct OSSignpostID: Equatable, Sendable {
    public static let exclusive = OSSignpostID()
}
// https://developer.apple.com/documentation/os/ossignpostintervalstate
public final class OSSignpostIntervalState: @unchecked Sendable {}
// https://developer.apple.com/documentation/os/signpostmetadata
public typealias SignpostMetadata = OSLogMessage
// https://developer.apple.com/documentation/os/ossignposter
public struct OSSignposter: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public var isEnabled: Bool { false }
    public func makeSignpostID() -> OSSignpostID { .exclusive }
    // https://developer.apple.com/documentation/os/ossignposter/begininterval(_:id:_:)
    public func beginInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: SignpostMetadata
    ) -> OSSignpostIntervalState { OSSignpostIntervalState() }
    // https://developer.apple.com/documentation/os/ossignposter/endinterval(_:_:_:)
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}
}
