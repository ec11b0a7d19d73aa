import FlyingFox
import HTTPChain

// The server and the chain both declare these names. Here, messages are the server's, and JSON is the chain's.
typealias HTTPRequest = FlyingFox.HTTPRequest
typealias HTTPResponse = FlyingFox.HTTPResponse
typealias JSONValue = HTTPChain.JSONValue
