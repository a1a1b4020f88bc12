#include "faces.hpp"

#include <array>

#include "check.hpp"

namespace kakehashi {
namespace {

constexpr int left_of(int side) { return (side + 3) % kSides; }
constexpr int right_of(int side) { return (side + 1) % kSides; }
constexpr int behind(int side) { return (side + 2) % kSides; }

}  // namespace

Faces::Faces(const Encoding& encoding) {
  const Graph& graph = encoding.graph();
  first_.reserve(graph.m + 1);
  first_.push_back(0);
  for (int e = 0; e < graph.m; ++e) {
    if (encoding.is_live(e)) {
      channel_.push_back(e);
      for (int t = graph.crossing_start[e]; t < graph.crossing_start[e + 1]; ++t) {
        if (encoding.is_live(graph.crossing[t])) channel_.push_back(e);
      }
    }
    first_.push_back(segments());
  }
  std::vector<int> vertex_after;
  const int vertices = place_crossings(encoding, vertex_after);
  walk_faces(graph, vertex_after, vertices);
}

// Fills crossing_after_, and for each segment the vertex at its end (but for the last of a channel); returns how many
// vertices there are.
int Faces::place_crossings(const Encoding& encoding, std::vector<int>& vertex_after) {
  const Graph& graph = encoding.graph();
  // Vertices: the islands, then the crossings, each met on the horizontal channel first. Rows come from top to bottom,
  // so a vertical channel meets its crossings in its own order too.
  crossing_after_.assign(segments(), -1);
  vertex_after.assign(segments(), -1);
  std::vector<int> met(graph.m, 0);
  int vertices = graph.n;
  for (int e = 0; e < graph.m; ++e) {
    if (graph.vertical[e] != 0 || !encoding.is_live(e)) continue;
    int segment = first_[e];
    for (int t = graph.crossing_start[e]; t < graph.crossing_start[e + 1]; ++t) {
      const int f = graph.crossing[t];
      if (!encoding.is_live(f)) continue;
      const int other = first_[f] + met[f]++;
      KAKEHASHI_CHECK(other + 1 < first_[f + 1] && segment + 1 < first_[e + 1]);
      crossing_after_[segment] = f;
      crossing_after_[other] = e;
      vertex_after[segment++] = vertex_after[other] = vertices++;
    }
  }
  return vertices;
}

void Faces::walk_faces(const Graph& graph, const std::vector<int>& vertex_after, int vertices) {
  std::vector<std::array<int, kSides>> leaving(vertices, {-1, -1, -1, -1});  // half-edges by direction
  std::vector<int> head(2 * segments());
  for (int e = 0; e < graph.m; ++e) {
    const int forward = graph.vertical[e] != 0 ? kSouth : kEast;
    int from = graph.channel_a[e];
    for (int k = first_[e]; k < first_[e + 1]; ++k) {
      const int to = k + 1 < first_[e + 1] ? vertex_after[k] : graph.channel_b[e];
      leaving[from][forward] = 2 * k;
      leaving[to][behind(forward)] = 2 * k + 1;
      head[2 * k] = to;
      head[2 * k + 1] = from;
      from = to;
    }
  }

  // Walk around each face: at every vertex turn left as far as possible.
  face_.assign(2 * segments(), -1);
  for (int begin = 0; begin < 2 * segments(); ++begin) {
    if (face_[begin] >= 0) continue;
    int half_edge = begin;
    do {
      face_[half_edge] = count_;
      const int forward = graph.vertical[channel_[half_edge / 2]] != 0 ? kSouth : kEast;
      const int side = half_edge % 2 != 0 ? behind(forward) : forward;
      const auto& out = leaving[head[half_edge]];
      int next = out[left_of(side)];
      if (next < 0) next = out[side];
      if (next < 0) next = out[right_of(side)];
      if (next < 0) next = out[behind(side)];
      half_edge = next;
    } while (half_edge != begin);
    ++count_;
  }
}

}  // namespace kakehashi
