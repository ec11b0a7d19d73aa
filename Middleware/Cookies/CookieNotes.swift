import Foundation
import HTTPChainCore
import HTTPChainSupport

extension TraceNotes {
    /// Records which cookies a request does not carry, and why.
    func tell(ofCookiesIn jar: CookieJar, withheldFrom target: CookieTarget, at now: Date, replaced: Set<ExactText>) {
        guard isTraced else { return }
        for (cookie, reason) in jar.withheld(from: target, at: now, replaced: replaced) {
            add("not sent, because \(reason): \(cookie)")
        }
    }

    /// Records the outcome of each `Set-Cookie` field, and the cookies that were evicted.
    func tell(of result: CookieStorage.Result) {
        guard isTraced else { return }
        for outcome in result.outcomes { add("\(outcome)") }
        for case .removed(let cookie, let reason) in result.effects { add("removed, because \(reason): \(cookie)") }
    }
}
