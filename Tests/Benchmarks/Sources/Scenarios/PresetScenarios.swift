import Foundation
import HTTPChain
public import HTTPChainCore
import HTTPTypes

/// A preset beside a chain of the same stages that is written by hand.
public enum PresetScenarios {
    /// A call through `Chain.standard`, and one through the copy, over a transport that answers at once.
    public static func inMemory() throws -> [Scenario] {
        let base = "https://api.example.com/v2"
        let transport = PromptTransport(
            response: Response(
                .ok,
                headers: [.contentType: "application/json"],
                body: HTTPBody(Data(#"{"id":42,"name":"Ada"}"#.utf8))
            )
        )
        let preset = try Chain.standard(base: base, over: transport)
        let copy = try Chain(transport: transport) {
            ErrorHandlerMiddleware(.problemDetails)
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            HeadersMiddleware()
            MultipartMiddleware()
            RequestProcessorMiddleware()
            RedirectMiddleware()
            GzipMiddleware()
            RetryMiddleware()
            AttemptTimeoutMiddleware()
        }
        let request = Request.get("users/42")
        return [
            ReadmeScenarios.calls(of: request, through: preset, named: "readme.preset.standard"),
            ReadmeScenarios.calls(of: request, through: copy, named: "readme.preset.byhand"),
        ]
    }
}
