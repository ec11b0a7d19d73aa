import HTTPChainCore
import Testing

@Suite("The setting of a call")
struct CallSettingTests {
    @Test("The stage's own value applies unless the call has another, or none")
    func applied() {
        #expect(CallSetting.standard.applied(to: 1) == 1)
        #expect(CallSetting<Int>.standard.applied(to: nil) == nil)
        #expect(CallSetting.off.applied(to: 1) == nil)
        #expect(CallSetting.value(2).applied(to: 1) == 2)
        #expect(CallSetting<Int>(nil) == .off)
        #expect(CallSetting(0) == .value(0))
    }
}
