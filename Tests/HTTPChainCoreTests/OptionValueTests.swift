import HTTPChainCore
import Testing

private enum Number: RequestOption {
    static var defaultValue: Int { 7 }
}

private enum Text: RequestOption {
    static var defaultValue: String { "default" }
}

private enum Maybe: RequestOption {
    static var defaultValue: String? { "default" }
}

private enum Anything: RequestOption {
    static var defaultValue: (any Sendable & CustomStringConvertible)? { nil }
    static var isCredential: Bool { true }
}

private enum Clock: RequestOption {
    static var defaultValue: any TimeSource { SystemTime() }
}

private struct Large: Sendable, Equatable {
    var numbers = (1, 2, 3, 4, 5)
    var text = "more than fits in three words"

    static func == (lhs: Large, rhs: Large) -> Bool { lhs.numbers == rhs.numbers && lhs.text == rhs.text }
}

private enum LargeOption: RequestOption {
    static var defaultValue: Large { Large() }
}

@Suite("The values of options")
struct OptionValueTests {
    @Test("Each value is read as the type that its option declares, whatever kind of type that is")
    func types() {
        var options = RequestOptions()
        #expect(options[Number.self] == 7)
        #expect(options[Maybe.self] == "default")
        options[Number.self] = 1
        options[Text.self] = "one"
        options[Maybe.self] = nil
        options[Anything.self] = 5
        options[Clock.self] = SystemTime()
        options[LargeOption.self].numbers.4 = 6
        #expect(options[Number.self] == 1)
        #expect(options[Text.self] == "one")
        #expect(options[Maybe.self] == nil)
        #expect(options[Anything.self]?.description == "5")
        #expect(options[Clock.self] is SystemTime)
        #expect(options[LargeOption.self].numbers.4 == 6)
        #expect(options.names == ["Number", "Text", "Maybe", "Anything", "Clock", "LargeOption"])
    }

    @Test("One that is set to nil is set")
    func nilIsSet() {
        var options = RequestOptions()
        #expect(!options.contains(Maybe.self))
        options[Maybe.self] = nil
        #expect(options.contains(Maybe.self))
        options.remove(Maybe.self)
        #expect(options[Maybe.self] == "default")
    }

    @Test("One that is set again keeps its place among the others, and a copy keeps the old value")
    func setAgain() {
        var options = RequestOptions()
        options[Number.self] = 1
        options[Text.self] = "one"
        options[Anything.self] = "secret"
        let copy = options
        options[Text.self] = "two"
        options.remove(Number.self)
        #expect(options.names == ["Text", "Anything"])
        #expect(options[Text.self] == "two")
        #expect(options[Anything.self]?.description == "secret")
        #expect(options.hasCredentials)
        #expect(copy.names == ["Number", "Text", "Anything"])
        #expect(copy[Text.self] == "one")
    }

    @Test("A copy is its own")
    func copies() {
        var options = RequestOptions()
        options[Number.self] = 1
        options[Anything.self] = "secret"
        var copy = options
        copy[Number.self] = 2
        copy.removeCredentials()
        copy[Text.self] = "two"
        #expect(options[Number.self] == 1)
        #expect(options[Anything.self]?.description == "secret")
        #expect(!options.contains(Text.self))
        #expect(copy.names == ["Number", "Text"])
        #expect(copy[Number.self] == 2)
    }
}
