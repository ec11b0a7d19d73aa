// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Stands for SwiftUI, os and Observation: modules that every file of an app imports. Only names matter here, so the
// types are empty; a type that HTTPChain gives the same name as one of these makes the tests of the names not compile.

/// As in SwiftUI; a view's `Body` is the type of its content.
public protocol View {
    associatedtype Body
    var body: Body { get }
}

/// As in SwiftUI.
public struct Text: View {
    public let content: String
    public init(_ content: String) { self.content = content }
    public var body: Never { get { neverRendered() } }
}

private func neverRendered() -> Never { preconditionFailure("a leaf has no content") }

/// As in os.
public struct Logger: Sendable {
    public let subsystem: String
    public init(subsystem: String, category: String) { self.subsystem = subsystem }
}

public struct Animation {}
public struct Binding {}
public struct Button {}
public struct Color {}
public struct Divider {}
public struct Environment {}
public struct EnvironmentValues {}
public struct Font {}
public struct Form {}
public struct Gauge {}
public struct Gradient {}
public struct Group {}
public struct Image {}
public struct Label {}
public struct Link {}
public struct List {}
public struct Menu {}
public struct Namespace {}
public struct OSAllocatedUnfairLock {}
public struct OSLog {}
public struct Path {}
public struct Preview {}
public struct ProgressView {}
public struct RedactionReasons {}
public struct RefreshAction {}
public struct Section {}
public struct Settings {}
public struct Shape {}
public struct State {}
public struct Table {}
public struct Transaction {}
public struct Transition {}
