package import HTTPChainCore

extension Request {
    /// Returns the URL with its variables filled in and its query appended.
    ///
    /// It is relative if the request's URL is.
    ///
    /// - Throws: ``URLBuilderError``; errors of the call's builder.
    package func completeReference() async throws -> String {
        let arguments = options[URLArgumentsOption.self]
        let builder = try URLBuilder(base: nil)
        guard let arguments, let custom = arguments.builder else {
            return try builder.reference(of: head, arguments ?? .none)
        }
        return try await custom.url(
            for: URLBuildingCall(
                method: method,
                reference: url,
                arguments: arguments,
                options: options,
                standard: builder
            )
        )
    }
}
