import HTTPChainCore
import Testing

@Suite("The users of a call")
struct CallIdentityTests {
    private final class State: Sendable {}

    @Test("Each stage has its own, which is the first one of the call")
    func stages() {
        let identity = CallIdentity()
        let states = [State(), State(), State()]
        for (epoch, state) in states.enumerated() { #expect(identity.admits(epoch: UInt32(epoch), of: state)) }
        for (epoch, state) in states.enumerated() {
            #expect(identity.admits(epoch: UInt32(epoch), of: state))
            #expect(!identity.admits(epoch: UInt32(epoch + 1), of: state))
        }
        let (jar, other) = (State(), State())
        #expect(identity.first(jar, of: other) === jar)
        #expect(identity.first(State(), of: other) === jar)
    }

    @Test("While nobody is signed in, a call is nobody's, and becomes that of who signs in")
    func nobody() {
        let (identity, state) = (CallIdentity(), State())
        #expect(identity.admits(epoch: 0, of: state, binds: false))
        #expect(identity.admits(epoch: 1, of: state))
        #expect(!identity.admits(epoch: 2, of: state, binds: false))
        #expect(!identity.admits(epoch: 0, of: state))
    }

    @Test("Requests of one call share it, and another call has another")
    func requests() {
        let (identity, state) = (CallIdentity(), State())
        var requests = [Request.get("https://a.example/1"), .get("https://a.example/2")]
        for index in requests.indices {
            requests[index].bind(to: identity)
            requests[index].bindToOneUser()
            #expect(requests[index].callIdentity?.admits(epoch: UInt32(index), of: state) == (index == 0))
        }
        var other = Request.get("https://a.example/1")
        #expect(other.callIdentity == nil)
        other.bindToOneUser()
        #expect(other.callIdentity?.admits(epoch: 1, of: state) == true)
    }
}
