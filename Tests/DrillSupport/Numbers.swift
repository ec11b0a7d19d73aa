/// Numbers that follow from a seed, for a program that has nothing of the tests but this module.
package struct Numbers: Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 up to, and without, the bound.
    package mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
