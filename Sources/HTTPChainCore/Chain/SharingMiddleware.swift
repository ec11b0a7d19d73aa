/// A stage that lets calls share a response: the stages outside it that tell users apart ask whether it does so too.
package protocol SharingMiddleware: Middleware {
    /// The rule that keeps users apart in it.
    var userPartition: UserPartition { get }
}
