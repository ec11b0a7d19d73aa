import HTTPChainAuth
import Testing

@Suite("Challenges")
struct ChallengeTests {}
