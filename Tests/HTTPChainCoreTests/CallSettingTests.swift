import Testing

@testable import HTTPChainTimeout

@Suite("A rule of a call")
struct TimeoutRuleTests {
    @Test("The limit is what a rule makes of the stage's limit")
    func rules() {
        #expect(TimeoutRule.standard.limit(standard: .seconds(1)) == .seconds(1))
        #expect(TimeoutRule.standard.limit(standard: nil) == nil)
        #expect(TimeoutRule.unlimited.limit(standard: .seconds(1)) == nil)
        #expect(TimeoutRule.limit(.seconds(2)).limit(standard: .seconds(1)) == .seconds(2))
        #expect(TimeoutRule(nil) == .unlimited)
        #expect(TimeoutRule(.zero) == .limit(.zero))
    }
}
