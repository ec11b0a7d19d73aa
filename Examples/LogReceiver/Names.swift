import FlyingFox
import HTTPChain

// Both the server and the chain declare these names. In this program, messages are the server's, and JSON is the
// chain's.
typealias HTTPRequest = FlyingFox.HTTPRequest
typealias HTTPResponse = FlyingFox.HTTPResponse
typealias JSONValue = HTTPChain.JSONValue
