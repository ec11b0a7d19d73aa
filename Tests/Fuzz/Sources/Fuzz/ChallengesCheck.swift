@testable import HTTPChainAuth

/// The values of challenge fields, one a line.
///
/// What is read is bounded and well-formed, and what is written of it is read the same again.
func checkChallenges(_ input: Input) -> Int32 {
    let challenges = Challenge.parse(input.lines)
    require(challenges.count <= 32, "\(challenges.count) challenges")
    for challenge in challenges {
        require(Challenge.isToken(challenge.scheme), "the scheme \(challenge.scheme.debugDescription)")
        require(challenge.parameters.count <= 64, "\(challenge.parameters.count) parameters")
        require(challenge.parameters.allSatisfy { Challenge.isToken($0.name) }, "the names of \(challenge)")
        require(challenge.token68?.isEmpty != true, "an empty token68")
    }
    // A quoted string holds no control character, and no scheme has a token68 beside parameters.
    let faithful = challenges.filter { challenge in
        (challenge.token68 == nil || challenge.parameters.isEmpty)
            && challenge.parameters.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } }
    }
    let written = faithful.map(\.description).joined(separator: ", ")
    require(Challenge.parse([written]) == faithful, "\(written.debugDescription) is read as something else")
    return 0
}
