// A union-find that goes back, with a spanning forest beside it that tells why two nodes are in one class.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "check.hpp"

namespace kakehashi {

// Classes by size, without path compression: unions are taken back in reverse (Westbrook and Tarjan, "Amortized
// analysis of algorithms for set union with backtracking", 1989). The forest has an edge for each union, with the
// caller's label; each node knows the edge to its parent. For a union the tree of the smaller class is rerooted at its
// end of the edge.
class RollbackForest {
 public:
  explicit RollbackForest(int nodes) : parent_(nodes, -1), size_(nodes, 1), up_(nodes), stamp_(nodes, 0) {}

  int find(int node) const {
    while (parent_[node] >= 0) node = parent_[node];
    return node;
  }

  struct Union {
    int child;  // the root of the smaller class, which is one no more
    int root;   // of the class that it belongs to now
  };

  // Makes the classes of the roots a and b one, by an edge from node x in a to node y in b.
  Union unite(int a, int b, int x, int y, int label) {
    if (size_[a] < size_[b]) {
      std::swap(a, b);
      std::swap(x, y);
    }
    parent_[b] = a;
    size_[a] += size_[b];
    unions_.push_back({b, y, reroot(y)});
    up_[y] = {x, label};
    return {b, a};
  }

  std::size_t unions() const { return unions_.size(); }

  // Takes back all unions but the first `kept`.
  void undo(std::size_t kept) {
    while (unions_.size() > kept) {
      const Entry last = unions_.back();
      unions_.pop_back();
      up_[last.moved].node = -1;
      reroot(last.old_root);
      size_[parent_[last.child]] -= size_[last.child];
      parent_[last.child] = -1;
    }
  }

  // Hands the label of each edge between two nodes of one class to `visit`. Both sides climb in turns, so the work is
  // in proportion to the path and not to the depth of the tree.
  template <class Visit>
  void path(int x, int y, Visit visit) {
    if (x == y) return;
    const int mark_x = ++last_stamp_;
    const int mark_y = ++last_stamp_;
    int u = x;
    int v = y;
    stamp_[u] = mark_x;
    stamp_[v] = mark_y;
    int meeting = -1;
    const auto climb = [&](int& node, int own, int others) {
      if (node < 0) return false;
      node = up_[node].node;
      if (node < 0) return false;
      if (stamp_[node] == others) {
        meeting = node;
        return true;
      }
      stamp_[node] = own;
      return false;
    };
    while (!climb(u, mark_x, mark_y) && !climb(v, mark_y, mark_x)) KAKEHASHI_CHECK(u >= 0 || v >= 0);
    for (int node : {x, y}) {
      for (; node != meeting; node = up_[node].node) visit(up_[node].label);
    }
  }

 private:
  struct Entry {
    int child;
    int moved;     // the node whose edge to the other class joined the trees
    int old_root;  // of the tree that was rerooted at `moved`
  };
  struct Edge {
    int node = -1;  // the parent; -1 for a root
    int label = -1;
  };

  // Turns the path from a node to the root of its tree around; returns the old root.
  int reroot(int node) {
    Edge up = std::exchange(up_[node], Edge{});
    while (up.node >= 0) {
      const int above = up.node;
      const Edge further = up_[above];
      up_[above] = {node, up.label};
      node = above;
      up = further;
    }
    return node;
  }

  std::vector<int> parent_;  // of the union-find; -1 for a root
  std::vector<int> size_;
  std::vector<Edge> up_;
  std::vector<Entry> unions_;
  std::vector<int> stamp_;
  int last_stamp_ = 0;
};

}  // namespace kakehashi
