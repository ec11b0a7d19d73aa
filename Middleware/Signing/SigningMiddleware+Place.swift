import HTTPChainCore

extension SigningMiddleware {
    private var name: String { "SigningMiddleware" }

    /// Returns problems with the surrounding stages that would invalidate signatures.
    func problemsOfPlace(_ place: ChainPlace) -> [ChainProblem] {
        var problems = verifier.map { unverifiedContent($0, at: place) } ?? []
        guard signer != nil else { return problems }
        if place.capabilities.contains(.followsRedirects) {
            problems.append(
                ChainProblem(
                    stage: name,
                    problem:
                        "\(place.transportName) follows redirects itself, and sends the signature of one hop "
                        + "with the next",
                    fix: "switch that off in the transport, and use a RedirectMiddleware outside \(name)"
                )
            )
        }
        problems += place.inside.filter(mayChangeRequests).map { stage in
            ChainProblem(
                stage: name,
                problem:
                    "\(stage.summary.name) is inside \(name), and any change that it makes to a request "
                    + "invalidates the signature",
                fix: "move it above \(name), unless it changes nothing that is signed",
                severity: .warning
            )
        }
        problems += place.nested.filter { $0.phase.isOutside(.sign) || mayChangeRequests($0) }.map { stage in
            ChainProblem(
                stage: name,
                problem:
                    "\(stage.summary.name) of the chain inside sends what \(name) has signed, and may change it "
                    + "or send it again",
                fix: "move \(name) into the chain inside",
                severity: .warning
            )
        }
        return problems
    }

    /// Returns whether a stage may change requests.
    ///
    /// Stages of the wire phase don't.
    private func mayChangeRequests(_ stage: any Middleware) -> Bool {
        stage.phase != .wire && !stage.phase.isOutside(.sign)
    }

    /// Reports that a signed digest doesn't protect the content, unless a stage compares the two.
    private func unverifiedContent(_ verifier: MessageVerifier, at place: ChainPlace) -> [ChainProblem] {
        guard verifier.required.contains(where: { $0.name == "content-digest" && !$0.isFromRequest }),
            !place.outside.contains(where: { $0.phase == .digest })
        else { return [] }
        return [
            ChainProblem(
                stage: name,
                problem: "\(name) verifies that Content-Digest is signed, and no stage compares it with the content",
                fix: "put a ContentDigestMiddleware above it",
                severity: .warning
            )
        ]
    }
}
